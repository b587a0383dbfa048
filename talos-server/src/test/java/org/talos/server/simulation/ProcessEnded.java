// SPDX-License-Identifier: Apache-2.0
package org.talos.server.simulation;

/** The process was killed: what it was doing ends here. An error, so that the code under test does not handle it. */
public final class ProcessEnded extends Error {
    private static final long serialVersionUID = 1;

    /** The process of this name was killed. */
    public ProcessEnded(String name) {
        super(name + " was killed", null, false, false);
    }
}
