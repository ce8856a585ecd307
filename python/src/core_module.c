/* core_module.c - the module hardnet._core: its state, its types, and how they are added.
 *
 * SPDX-License-Identifier: MIT */
#include "core.h"

core_state *core_state_of_type(PyTypeObject *type) {
    return PyModule_GetState(PyType_GetModule(type));
}

core_state *core_state_of(PyObject *self) {
    return PyModule_Check(self) ? PyModule_GetState(self) : core_state_of_type(Py_TYPE(self));
}

int core_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **out) {
    PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);
    if (!type)
        return -1;
    const char *name = strrchr(spec->name, '.') + 1;
    int status = PyModule_AddObjectRef(module, name, type);
    if (out && status == 0)
        *out = (PyTypeObject *)type;
    Py_DECREF(type);
    return status;
}

static int execute(PyObject *module) {
    int (*const parts[])(PyObject *) = {
        core_add_model,   core_add_evaluate, core_add_check,  core_add_layer,  core_add_refine,
        core_add_network, core_add_inputs,   core_add_device, core_add_dlpack, core_add_xla,
    };
    if (PyModule_AddStringConstant(module, "version", hn_version()) < 0)
        return -1;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i](module) < 0)
            return -1;
    return 0;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)execute},
    {0, NULL},
};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "hardnet._core",
    .m_doc = "The part of hardnet that is written in C. Use the package hardnet instead.",
    .m_size = sizeof(core_state),
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) {
    return PyModuleDef_Init(&definition);
}
