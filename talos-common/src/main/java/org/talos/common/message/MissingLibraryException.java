// SPDX-License-Identifier: Apache-2.0
package org.talos.common.message;

/**
 * This process cannot load the native library of a compression, so the block may well be intact. The message has the
 * reason and the remedy. Immutable.
 */
public final class MissingLibraryException extends RuntimeException {
    /** @param message why the library cannot be loaded, and the remedy */
    public MissingLibraryException(String message) {
        super(message);
    }
}
