/**
 * All metrics of the server: their names, units, recording, and export. Other parts report events; this package decides
 * what to count. Uses no part.
 */
@NullMarked
package org.talos.server.metrics;

import org.jspecify.annotations.NullMarked;
