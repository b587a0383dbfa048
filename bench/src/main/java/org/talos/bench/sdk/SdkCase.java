// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.sdk;

/**
 * What each library is measured with. Immutable.
 *
 * @param threads that send, and as many that read
 * @param size bytes of a message
 */
record SdkCase(int threads, int size) {
    /** As it is written in tables. */
    String label() {
        return threads + (threads == 1 ? " thread, " : " threads, ") + size + " B";
    }
}
