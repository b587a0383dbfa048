// SPDX-License-Identifier: Apache-2.0
/** The setup of a cluster's stores, once for all servers: {@link org.talos.server.boot.setup.ClusterSetUp}. */
@NullMarked
package org.talos.server.boot.setup;

import org.jspecify.annotations.NullMarked;
