/* SPDX-License-Identifier: Apache-2.0 */
/* `memtwin list kernels --suite` prints the programs of a suite and no others. */
#include "command_line.h"

Test(cli_list, kernels_of_a_suite)
{
    struct outcome o = memtwin("list kernels --suite uvmbench");
    expect_status(o, 0);
    expect_text(o, "\nbn  ");
    expect_text(o, "\nsrad_v2  ");
    cr_expect_null(strstr(o.text, "\nsrad  "));
    cr_expect_null(strstr(o.text, "\nvecadd  "));
    cr_expect_null(strstr(o.text, "every kernel:"));
}

Test(cli_list, an_unknown_suite_is_named_and_so_is_one_of_another_topic)
{
    struct outcome o = memtwin("list kernels --suite uvmbnch");
    cr_expect_neq(o.status, 0);
    expect_text(o, "unknown suite \"uvmbnch\"; the nearest is uvmbench");
    o = memtwin("list blocks --suite uvmbench");
    cr_expect_neq(o.status, 0);
    expect_text(o, "found --suite, expected the topic kernels with it");
}
