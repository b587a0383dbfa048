// SPDX-License-Identifier: Apache-2.0
package org.talos.common.name;

/**
 * What a new topic has unless a request says otherwise: the one place of these values for the server, the SDK, and the
 * command line. Immutable.
 */
public final class TopicDefaults {
    /** The number of partitions. */
    public static final int PARTITIONS = 8;

    /** How long messages are kept: a day. */
    public static final int RETENTION_SECONDS = 86_400;

    private TopicDefaults() {}
}
