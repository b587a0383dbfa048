// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

/** Is told when measuring begins and ends. Called on the loop's thread. */
public interface Window {
    /** Wants to know nothing. */
    Window NOBODY = new Window() {
        @Override
        public void opened() {}

        @Override
        public void closed() {}
    };

    /** The warm-up is over. */
    void opened();

    /** Nothing is measured from now on. */
    void closed();
}
