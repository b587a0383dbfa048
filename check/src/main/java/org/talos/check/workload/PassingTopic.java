// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

/** A topic that is made, used, deleted and made again under its name all the time. Thread-safe. */
public interface PassingTopic {
    /** The name that all its lives have. */
    String name();

    int partitions();

    /** Schedules its deletion, if there is one now. Returns at once. */
    void delete();
}
