// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.sdk;

/**
 * The load with which each library is measured. Immutable.
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
