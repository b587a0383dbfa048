// SPDX-License-Identifier: Apache-2.0
package org.talos.server.hadoop;

/**
 * What one look at a cluster has found. Immutable.
 *
 * @param status how bad it is
 * @param what what was looked at, in a word or two
 * @param detail what was found
 * @param hint what an operator can do; empty if nothing need be done
 */
public record ReportLine(Status status, String what, String detail, String hint) {
    /** How bad it is. */
    public enum Status {
        /** As it should be. */
        OK,
        /** It works, and something may be wrong later. */
        WARN,
        /** A server can't work so. */
        FAIL
    }
}
