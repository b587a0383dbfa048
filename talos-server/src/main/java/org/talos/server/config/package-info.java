// SPDX-License-Identifier: Apache-2.0
/**
 * The server's configuration: records that check their values. Entry type:
 * {@link org.talos.server.config.ServerConfig}. Uses no part.
 */
@NullMarked
package org.talos.server.config;

import org.jspecify.annotations.NullMarked;
