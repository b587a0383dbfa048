// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

/** The outcome of a submission. */
public enum Submission {
    /** The task is queued and will end once. */
    ACCEPTED,
    /** Too many tasks of its key wait. */
    REFUSED_KEY_FULL,
    /** Too many tasks wait in all. */
    REFUSED_FULL,
    /** The executor is shutting down. */
    REFUSED_STOPPED
}
