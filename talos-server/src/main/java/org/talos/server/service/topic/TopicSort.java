// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

/** The orders in which topics are listed. */
public enum TopicSort {
    /** By name. */
    NAME,
    /** By owner, and then by name. */
    OWNER,
    /** By stored messages. */
    MESSAGES,
    /** By stored bytes. */
    SIZE,
    /** By the messages that are put in a second. */
    RATE;

    /** Returns whether topics are sorted by a figure. */
    public boolean isByFigure() {
        return switch (this) {
            case NAME, OWNER -> false;
            case MESSAGES, SIZE, RATE -> true;
        };
    }
}
