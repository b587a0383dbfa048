/**
 * Setting up and looking at the stores in a cluster, without a server: {@code bin/talos init} and {@code bin/talos
 * doctor}.
 */
@NullMarked
package org.talos.launcher.cluster;

import org.jspecify.annotations.NullMarked;
