// SPDX-License-Identifier: Apache-2.0
/**
 * Reads the configuration from one YAML file and the environment into the records, and shows it. Entry type:
 * {@link org.talos.server.config.load.ConfigLoader}.
 */
@NullMarked
package org.talos.server.config.load;

import org.jspecify.annotations.NullMarked;
