// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

/** A listener that is notified when measuring begins and ends. Called on the loop's thread. */
public interface Window {
    /** Ignores both notifications. */
    Window NOBODY = new Window() {};

    /** The warm-up is over. */
    default void opened() {}

    /** The measured time is over. */
    default void closed() {}
}
