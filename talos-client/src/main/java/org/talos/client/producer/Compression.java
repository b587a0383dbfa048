// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

/** How a put's messages are compressed. */
public enum Compression {
    /** As they are. */
    NONE,
    /** Quick; every SDK reads it. */
    SNAPPY,
    /** Small; every SDK reads it. */
    GZIP,
    /** Small and quick; for readers of the newer SDKs. */
    ZSTD,
    /** Quickest; for readers of the newer SDKs. */
    LZ4
}
