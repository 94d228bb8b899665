/* SPDX-License-Identifier: Apache-2.0 */
/* Every built-in kernel with each of its number options at 0, above the range, at the minimum and at an odd value.  The
 * result is right, or an error names the value found and the range expected. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/kernels.h"
#include "trace/suites.h"

/* A small size of each. */
static const char *const small[] = {"2dconv:rows=5,columns=6",
                                    "2mm:ni=5,nj=6,nk=3,nl=4",
                                    "3dconv:ni=3,nj=4,nk=5",
                                    "3mm:ni=5,nj=6,nk=3,nl=4,nm=2",
                                    "addvect:n=64",
                                    "aligned_types:bytes=640,blocks=2",
                                    "asyncapi:n=64",
                                    "atax:rows=8,columns=6",
                                    "backprop:inputs=32",
                                    "bfs:n=64",
                                    "bfs_queue:n=64",
                                    "bh:bodies=20,sms=1",
                                    "bicg:rows=8,columns=6",
                                    "binomial:options=2,steps=64",
                                    "blackscholes:n=64,blocks=2",
                                    "bn:nodes=5,rows=9,orders=1",
                                    "btree:records=50,queries=5,ranges=4,length=9,order=8",
                                    "cnn:images=1",
                                    "convsep:width=128,height=64",
                                    "convtexture:width=20,height=8",
                                    "copy:n=64",
                                    "corr:m=6,n=7",
                                    "covar:m=6,n=7",
                                    "dwt2d:width=20,height=9,levels=2",
                                    "fdtd2d:rows=5,columns=6,steps=1",
                                    "fwt:log2n=6,log2kernel=2",
                                    "gabor:width=17,height=9,orientations=1",
                                    "gather:n=64,entries=100",
                                    "gaussian:n=6,block=32",
                                    "gemm:ni=5,nj=6,nk=3",
                                    "gesummv:rows=8,columns=6",
                                    "gramschm:rows=8,columns=5",
                                    "histogram:n=64,blocks=2",
                                    "hotspot:rows=7,columns=8,steps=2",
                                    "hotspot3d:rows=4,columns=5,layers=2,iterations=2",
                                    "iix:kib=2",
                                    "kmeans:n=64,dimensions=2,clusters=3,iterations=1",
                                    "kmeans_2d:n=32,clusters=3,iterations=1",
                                    "knn:references=40,queries=17,dim=5,k=4",
                                    "lbm:x=5,y=5,z=5",
                                    "lr:instances=40,features=3,iterations=2",
                                    "lud:n=32",
                                    "merge_sort:n=2048",
                                    "mriq:samples=20,voxels=40",
                                    "mvt:n=8",
                                    "neuralnet:images=1",
                                    "nn:n=64",
                                    "nw:n=32",
                                    "particlefilter:particles=20,x=16,y=16,frames=2",
                                    "pathfinder:columns=64,rows=4",
                                    "pest:sims=20,blocks=2,block=32",
                                    "quasirandom:n=64",
                                    "ra:bits=6,threads=32,updates=4",
                                    "ra_lookup:n=640",
                                    "radix_sort:n=2048,bits=8",
                                    "reduction:n=640",
                                    "scalarprod:vectors=2,elements=64,blocks=2",
                                    "scan:arrays=2,length=2048",
                                    "sgemm:m=128,n=16,k=8",
                                    "sift:keypoints=2,width=40,height=40",
                                    "sobol:vectors=300,dimensions=3,blocks=2",
                                    "sorting_net:arrays=2,length=128",
                                    "spmv:rows=64,columns=32",
                                    "srad:rows=8,columns=9",
                                    "srad_v2:rows=32,columns=16,iterations=1",
                                    "stencil:nx=9,ny=8,nz=4",
                                    "streamcluster:n=32,dim=3",
                                    "svm:images=9,features=10,passes=2",
                                    "syr2k:n=8,m=3",
                                    "syrk:n=8,m=3",
                                    "tpacf:points=20,sets=1",
                                    "transpose:width=32,height=32",
                                    "vecadd:n=64",
                                    "cfd:n=40",
                                    "cutcp:atoms=30,x=1,y=2,z=1",
                                    "histo:n=300,bins=100,parts=2",
                                    "sad:columns=1,rows=1"};

static const char *small_size(const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        if (!strncmp(small[i], name, length) && small[i][length] == ':') return small[i];
    cr_assert_fail("kernel %s has no small size in %s", name, __FILE__);
    return NULL;
}

/* The option's value in the specification, else its default. */
static int value_in(const char *spec, const struct kernel_option *o)
{
    const size_t length = strlen(o->name);
    for (const char *at = spec; (at = strstr(at, o->name)); at += length)
        if (at[length] == '=' && strchr(":,", at[-1])) return atoi(at + length + 1);
    return o->def;
}

static void expect_refused(const char *spec, const char *option, long value)
{
    struct error err = {""};
    char text[256], found[128];
    snprintf(text, sizeof text, "%s,%s=%ld", spec, option, value);
    snprintf(found, sizeof found, "option %s: found \"%ld\", expected a number in ", option, value);
    cr_expect_null(kernel_open(text, 1, &err), "%s", text);
    cr_expect(strstr(err.text, found), "%s: expected \"%s\" in \"%s\"", text, found, err.text);
}

static void expect_right_or_told(const char *spec, const struct kernel_option *o, int value)
{
    struct error err = {""};
    char text[256];
    if (value < o->min || value > o->max) return;
    snprintf(text, sizeof text, "%s,%s=%d", spec, o->name, value);
    const bool right = kernel_check(text, 1, &err);
    cr_expect(right || (strstr(err.text, "expected") && !strstr(err.text, "wrong result")), "%s: %s", text, err.text);
}

static void walk_option(const char *spec, const struct kernel_option *o)
{
    if (o->choices) return;
    if (o->min > 0) expect_refused(spec, o->name, 0);
    expect_refused(spec, o->name, (long)o->max + 1);
    expect_right_or_told(spec, o, o->min);
    expect_right_or_told(spec, o, value_in(spec, o) + 1);
}

Test(kernels_walk, every_size_gives_the_right_result_or_an_error_that_names_it)
{
    const struct kernel_def *k;
    for (uint32_t i = 0; (k = kernel_list(i)); i++) {
        const char *spec = small_size(k->name);
        struct error err = {""};
        cr_expect(kernel_check(spec, 1, &err), "%s: %s", spec, err.text);
        for (const struct kernel_option *o = k->options; o < k->options + KERNEL_MAX_OPTIONS && o->name; o++)
            walk_option(spec, o);
    }
}

Test(kernels_walk, every_kernel_is_in_a_suite)
{
    const struct kernel_def *k;
    uint32_t uvmbench = 0;
    for (uint32_t i = 0; (k = kernel_list(i)); i++) {
        const struct suites *s = suites_of(k->name);
        cr_expect(s && *s->suites, "kernel %s is in no suite of suites.def", k->name);
        uvmbench += suite_has("uvmbench", k->name);
    }
    cr_expect_eq(uvmbench, 33, "%u programs of UVMBench",
                 uvmbench); /* its repository; Gu20, table 5.1, leaves out nn */
    cr_expect_not(suite_has("uvm", "bn"));
}
