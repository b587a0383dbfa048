// SPDX-License-Identifier: Apache-2.0
package org.talos.common.auth;

import java.util.Locale;

/**
 * A header of a request that is signed, or that says by whom. Immutable.
 *
 * @param name name, which becomes lower case
 * @param value value as it came
 */
public record SignedHeader(String name, String value) {
    public SignedHeader {
        name = name.toLowerCase(Locale.ROOT);
    }
}
