// SPDX-License-Identifier: Apache-2.0
/**
 * Assembles the parts of a server: its stores, its membership in a cluster, and what operators run before a first
 * start. Entry types: {@code Stores}, {@code Membership}, {@link org.talos.server.boot.Doctor},
 * {@link org.talos.server.boot.ClusterSetUp}.
 */
@NullMarked
package org.talos.server.boot;

import org.jspecify.annotations.NullMarked;
