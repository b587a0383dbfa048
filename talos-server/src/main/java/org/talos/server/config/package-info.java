/**
 * The server's configuration: records that cannot exist wrong, read from one YAML file and the environment. Entry
 * types: {@link org.talos.server.config.ServerConfig}. Uses no part.
 */
@NullMarked
package org.talos.server.config;

import org.jspecify.annotations.NullMarked;
