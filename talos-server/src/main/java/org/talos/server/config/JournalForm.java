// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

/** Where a put goes before it is acknowledged: {@code hdfs.form}. */
public enum JournalForm {
    /** Into one of a few files that all partitions share; the partitions' own files follow in large pieces. */
    JOURNAL,
    /** Into the partition's own file: simple, and a flush for each partition. */
    PIPELINE
}
