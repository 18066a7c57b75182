#include <Python.h>
static PyObject *area(PyObject *self, PyObject *args) {
  double a, b;
  if (!PyArg_ParseTuple(args, "dd", &a, &b)) return NULL;
  return PyFloat_FromDouble(a * b);
}
static PyMethodDef methods[] = {{"area", area, METH_VARARGS, ""}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "overlap", NULL, -1, methods};
PyMODINIT_FUNC PyInit_overlap(void) { return PyModule_Create(&module); }
