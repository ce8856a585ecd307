// xla_layout.cc - compares the structs of python/src/xla.h with those of the header that a jaxlib ships: every
// offset, the size of every field, every constant. It is compiled, never run (test_layout.py).
//
// SPDX-License-Identifier: MIT
#include "xla/ffi/api/c_api.h"

#include "xla.h"

#define SAME(ours, field, theirs, other)                                                                               \
    static_assert(offsetof(ours, field) == offsetof(theirs, other), #ours "." #field ": offset");                      \
    static_assert(sizeof(((ours *)nullptr)->field) == sizeof(((theirs *)nullptr)->other), #ours "." #field ": size");

SAME(xla_version, size, XLA_FFI_Api_Version, struct_size)
SAME(xla_version, major, XLA_FFI_Api_Version, major_version)
SAME(xla_version, minor, XLA_FFI_Api_Version, minor_version)
SAME(xla_error_arguments, size, XLA_FFI_Error_Create_Args, struct_size)
SAME(xla_error_arguments, message, XLA_FFI_Error_Create_Args, message)
SAME(xla_error_arguments, code, XLA_FFI_Error_Create_Args, errc)
SAME(xla_interface, version, XLA_FFI_Api, api_version)
SAME(xla_interface, inner, XLA_FFI_Api, internal_api)
SAME(xla_interface, create_error, XLA_FFI_Api, XLA_FFI_Error_Create)
SAME(xla_interface, get_stream, XLA_FFI_Api, XLA_FFI_Stream_Get)
SAME(xla_stream_arguments, size, XLA_FFI_Stream_Get_Args, struct_size)
SAME(xla_stream_arguments, context, XLA_FFI_Stream_Get_Args, ctx)
SAME(xla_stream_arguments, stream, XLA_FFI_Stream_Get_Args, stream)
SAME(xla_buffer, size, XLA_FFI_Buffer, struct_size)
SAME(xla_buffer, type, XLA_FFI_Buffer, dtype)
SAME(xla_buffer, data, XLA_FFI_Buffer, data)
#ifdef SABOTAGE
SAME(xla_buffer, rank, XLA_FFI_Buffer, dims)
#endif
SAME(xla_buffer, rank, XLA_FFI_Buffer, rank)
SAME(xla_buffer, extents, XLA_FFI_Buffer, dims)
SAME(xla_text, bytes, XLA_FFI_ByteSpan, ptr)
SAME(xla_text, length, XLA_FFI_ByteSpan, len)
SAME(xla_buffers, size, XLA_FFI_Args, struct_size)
SAME(xla_buffers, count, XLA_FFI_Args, size)
SAME(xla_buffers, kinds, XLA_FFI_Args, types)
SAME(xla_buffers, items, XLA_FFI_Args, args)
SAME(xla_buffers, size, XLA_FFI_Rets, struct_size)
SAME(xla_buffers, count, XLA_FFI_Rets, size)
SAME(xla_buffers, kinds, XLA_FFI_Rets, types)
SAME(xla_buffers, items, XLA_FFI_Rets, rets)
SAME(xla_attributes, size, XLA_FFI_Attrs, struct_size)
SAME(xla_attributes, count, XLA_FFI_Attrs, size)
SAME(xla_attributes, kinds, XLA_FFI_Attrs, types)
SAME(xla_attributes, names, XLA_FFI_Attrs, names)
SAME(xla_attributes, items, XLA_FFI_Attrs, attrs)
SAME(xla_frame, size, XLA_FFI_CallFrame, struct_size)
SAME(xla_frame, interface, XLA_FFI_CallFrame, api)
SAME(xla_frame, context, XLA_FFI_CallFrame, ctx)
SAME(xla_frame, stage, XLA_FFI_CallFrame, stage)
SAME(xla_frame, arguments, XLA_FFI_CallFrame, args)
SAME(xla_frame, results, XLA_FFI_CallFrame, rets)
SAME(xla_frame, attributes, XLA_FFI_CallFrame, attrs)

static_assert((int)sizeof(xla_buffer) == (int)XLA_FFI_Buffer_STRUCT_SIZE, "xla_buffer");
static_assert(sizeof(xla_text) == sizeof(XLA_FFI_ByteSpan), "xla_text");

#if XLA_FFI_API_MAJOR > 0 || XLA_FFI_API_MINOR > 0 // before, there was no question to answer
SAME(xla_frame, extensions, XLA_FFI_CallFrame, extension_start)
SAME(xla_extension, size, XLA_FFI_Extension_Base, struct_size)
SAME(xla_extension, type, XLA_FFI_Extension_Base, type)
SAME(xla_extension, next, XLA_FFI_Extension_Base, next)
SAME(xla_metadata, size, XLA_FFI_Metadata, struct_size)
SAME(xla_metadata, version, XLA_FFI_Metadata, api_version)
SAME(xla_metadata, traits, XLA_FFI_Metadata, traits)
SAME(xla_metadata_extension, metadata, XLA_FFI_Metadata_Extension, metadata)
static_assert((int)XLA_EXTENSION_METADATA == (int)XLA_FFI_Extension_Metadata, "the question");
#else
SAME(xla_frame, extensions, XLA_FFI_CallFrame, priv)
#endif

#if XLA_FFI_API_MAJOR > 0 || XLA_FFI_API_MINOR > 2 // earlier versions do not pass the device number
SAME(xla_interface, get_ordinal, XLA_FFI_Api, XLA_FFI_DeviceOrdinal_Get)
SAME(xla_ordinal_arguments, size, XLA_FFI_DeviceOrdinal_Get_Args, struct_size)
SAME(xla_ordinal_arguments, context, XLA_FFI_DeviceOrdinal_Get_Args, ctx)
SAME(xla_ordinal_arguments, ordinal, XLA_FFI_DeviceOrdinal_Get_Args, device_ordinal)
#endif

#define CONSTANT(ours, theirs) static_assert((int)(ours) == (int)(theirs), #ours);
CONSTANT(XLA_MAJOR, XLA_FFI_API_MAJOR)
CONSTANT(XLA_STAGE_EXECUTE, XLA_FFI_ExecutionStage_EXECUTE)
CONSTANT(XLA_BUFFER, XLA_FFI_ArgType_BUFFER)
CONSTANT(XLA_BUFFER, XLA_FFI_RetType_BUFFER)
CONSTANT(XLA_STRING, XLA_FFI_AttrType_STRING)
CONSTANT(XLA_BOOL, XLA_FFI_DataType_PRED)
CONSTANT(XLA_INT32, XLA_FFI_DataType_S32)
CONSTANT(XLA_UINT8, XLA_FFI_DataType_U8)
CONSTANT(XLA_FLOAT32, XLA_FFI_DataType_F32)
CONSTANT(XLA_FLOAT64, XLA_FFI_DataType_F64)
CONSTANT(XLA_INVALID_ARGUMENT, XLA_FFI_Error_Code_INVALID_ARGUMENT)
CONSTANT(XLA_NOT_FOUND, XLA_FFI_Error_Code_NOT_FOUND)
CONSTANT(XLA_RESOURCE_EXHAUSTED, XLA_FFI_Error_Code_RESOURCE_EXHAUSTED)
CONSTANT(XLA_FAILED_PRECONDITION, XLA_FFI_Error_Code_FAILED_PRECONDITION)
