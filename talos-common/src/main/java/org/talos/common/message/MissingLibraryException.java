// SPDX-License-Identifier: Apache-2.0
package org.talos.common.message;

/**
 * This process cannot load the native library of a compression, so the block may well be sound. The message says why,
 * and what to do. Immutable.
 */
public final class MissingLibraryException extends RuntimeException {
    /** @param message why the library cannot be loaded, and what to do */
    public MissingLibraryException(String message) {
        super(message);
    }
}
