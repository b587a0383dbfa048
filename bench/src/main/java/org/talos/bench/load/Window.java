// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

/** Is told when measuring begins and ends. Called on the loop's thread. */
public interface Window {
    /** The warm-up is over. */
    void opened();

    /** Nothing is measured from now on. */
    void closed();
}
