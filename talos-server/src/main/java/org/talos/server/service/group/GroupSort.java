// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

/** The orders in which groups of several topics are listed. */
public enum GroupSort {
    /** By name, and then by topic. */
    NAME,
    /** By topic, and then by name. */
    TOPIC,
    /** By the messages that are not committed. */
    LAG;

    /** Returns whether groups are sorted by a figure. */
    public boolean isByFigure() {
        return this == LAG;
    }
}
