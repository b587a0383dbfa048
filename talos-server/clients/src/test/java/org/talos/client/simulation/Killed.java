// SPDX-License-Identifier: Apache-2.0
package org.talos.client.simulation;

/** Ends the threads of a machine that was killed. An error, so that few on the way handle it. */
final class Killed extends Error {
    private static final long serialVersionUID = 1;

    Killed() {
        super("killed", null, false, false);
    }
}
