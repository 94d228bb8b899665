/* SPDX-License-Identifier: Apache-2.0 */
/* Macros of headers that cppcheck does not read: those of Criterion and Jansson. */
#define TestSuite(suite, ...)
#define Test(suite, name, ...) static void suite##_##name(void)
#define json_array_foreach(array, index, value)                                                                        \
    for (index = 0; index < json_array_size(array) && (value = json_array_get(array, index)); index++)
#define json_object_foreach(object, key, value)                                                                        \
    for (void *iter = json_object_iter(object);                                                                        \
         (key = json_object_iter_key(iter)) && (value = json_object_iter_value(iter));                                 \
         iter = json_object_iter_next(object, iter))
#define cr_assert(condition, ...) ((condition) ? (void)0 : exit(1))
#define cr_expect(condition, ...) ((void)(condition))
