// SPDX-License-Identifier: Apache-2.0
/**
 * The cost of idle members of consumer groups: {@link org.talos.bench.members.MembersCommand}. The members are calls of
 * {@link org.talos.bench.load.ClosedLoop}, many on each connection, and have no threads of their own.
 */
@NullMarked
package org.talos.bench.members;

import org.jspecify.annotations.NullMarked;
