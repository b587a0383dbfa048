// SPDX-License-Identifier: Apache-2.0
/**
 * The rows about users, by table: {@link org.talos.server.metadata.rows.user.Users} with their keys, {@code KeyOwners}
 * of keys that users have brought, and {@code UserSessions} that were ended.
 */
@NullMarked
package org.talos.server.metadata.rows.user;

import org.jspecify.annotations.NullMarked;
