// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import java.util.Objects;

/**
 * A value as it was read, and the version to name when changing it.
 *
 * <p>Immutable.
 */
public record Versioned<T>(T value, long version) {
    public Versioned {
        Objects.requireNonNull(value, "value");
    }
}
