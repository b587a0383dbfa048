// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

/** A command that can't go on, with a sentence for whoever typed it. Immutable. */
public final class CommandFailure extends Exception {
    /** The sentence. */
    public CommandFailure(String sentence) {
        super(sentence);
    }
}
