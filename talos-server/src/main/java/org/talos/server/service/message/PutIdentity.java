// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.message;

/**
 * A client's own key of a put, and a digest of what is put. Immutable.
 *
 * @param key by which a repetition is recognised
 * @param digest by which it is seen whether the client has kept to it
 */
public record PutIdentity(String key, String digest) {}
