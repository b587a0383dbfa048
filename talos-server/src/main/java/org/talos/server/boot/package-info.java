// SPDX-License-Identifier: Apache-2.0
/**
 * Assembles the parts of a server: its stores, and its membership in a cluster. Entry types:
 * {@link org.talos.server.boot.Stores}, {@link org.talos.server.boot.Membership}. Its subpackages have the commands
 * that operators run without a server.
 */
@NullMarked
package org.talos.server.boot;

import org.jspecify.annotations.NullMarked;
