// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import java.util.Objects;

/**
 * A record as it was read, and its row's version, which a change has to name.
 *
 * <p>Immutable.
 */
public record Versioned<T>(T value, long version) {
    public Versioned {
        Objects.requireNonNull(value, "value");
    }
}
