// SPDX-License-Identifier: Apache-2.0
/**
 * The callers and their rights. {@link org.talos.server.auth.UserAdmin} manages users and their keys.
 * {@link org.talos.server.auth.Authenticator} finds the user whose key signed a request. It reads only memory, so
 * network threads may call it. {@link org.talos.server.auth.Permissions} checks a caller's rights on a topic.
 */
@NullMarked
package org.talos.server.auth;

import org.jspecify.annotations.NullMarked;
