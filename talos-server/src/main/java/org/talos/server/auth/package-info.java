// SPDX-License-Identifier: Apache-2.0
/**
 * The callers, and their rights. {@link org.talos.server.auth.UserAdmin} keeps the users and their keys,
 * {@link org.talos.server.auth.Authenticator} finds out whose key has signed a request, from memory alone, so network
 * threads may ask it; {@link org.talos.server.auth.Permissions} says what that caller may do with a topic.
 */
@NullMarked
package org.talos.server.auth;

import org.jspecify.annotations.NullMarked;
