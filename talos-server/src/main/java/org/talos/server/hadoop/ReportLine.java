// SPDX-License-Identifier: Apache-2.0
package org.talos.server.hadoop;

/**
 * The result of one check. Immutable.
 *
 * @param status its severity
 * @param what subject of the check, in a word or two
 * @param detail result of the check
 * @param hint remedy for the operator; empty if none is needed
 */
public record ReportLine(Status status, String what, String detail, String hint) {
    /** The severity of a result. */
    public enum Status {
        /** The check passed. */
        OK,
        /** Works now, and may cause trouble later. */
        WARN,
        /** A server cannot work with it. */
        FAIL
    }
}
