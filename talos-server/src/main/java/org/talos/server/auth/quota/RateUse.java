// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth.quota;

/** How much a second has passed of somebody's quota lately, at this server. Immutable. */
public record RateUse(double puts, double gets, double putBytes, double getBytes) {
    /** The use of an unused quota. */
    public static final RateUse NONE = new RateUse(0, 0, 0, 0);
}
