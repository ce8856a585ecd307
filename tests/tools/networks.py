"""Networks as the program reads them, written from Python: safetensors with a checksum and the settings of a policy.

The format is that of src/nn/safetensors.h and src/training/policy_file.c, written down once more.
"""
import json
import pathlib
import struct
import zlib

from samples import np

SETTINGS = {"method": "auto", "damping": (-1.0).hex(), "iterations": "-1", "tolerance": (1e-8).hex(), "relative": "false",
            "candidates": "1", "refine": "0", "scheme": "layer", "correction-steps": "100", "correction-rate": (0.1).hex(),
            "momentum": (0.5).hex(), "independent": "all"}


def file_bytes(texts, tensors):
    """The bytes of a file with these texts and tensors (name: array), its checksum included."""
    metadata = {"crc32": "00000000", **texts}
    header, data = {"__metadata__": metadata}, b""
    for name, values in tensors.items():
        values = np.ascontiguousarray(values, dtype="<f8")
        header[name] = {"dtype": "F64", "shape": list(values.shape), "data_offsets": [len(data), len(data) + values.nbytes]}
        data += values.tobytes()
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    whole = struct.pack("<Q", len(text)) + text + data
    checksum = b"%08x" % zlib.crc32(whole)
    return whole.replace(b'"crc32":"00000000"', b'"crc32":"' + checksum + b'"', 1)


def linear(path, fingerprint, weight, bias, **settings):
    """A network without hidden layers, y_raw = weight x + bias, for the model with this fingerprint."""
    weight, bias = np.atleast_2d(weight), np.atleast_1d(bias)
    outputs, inputs = weight.shape
    texts = {"format": "hardnet network 1", "activation": "tanh", "policy.model": fingerprint}
    texts.update({f"policy.{key}": value for key, value in {**SETTINGS, **settings}.items()})
    tensors = {"layer.0.weight": weight, "layer.0.bias": bias, "input.shift": np.zeros(inputs),
               "input.scale": np.ones(inputs), "output.shift": np.zeros(outputs), "output.scale": np.ones(outputs)}
    pathlib.Path(path).write_bytes(file_bytes(texts, tensors))
    return str(path)
