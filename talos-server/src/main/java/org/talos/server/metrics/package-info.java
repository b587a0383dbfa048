/**
 * All metrics of the server: their names, units, recording and export. Other parts report events; what is counted is
 * decided here. Uses no part.
 */
@NullMarked
package org.talos.server.metrics;

import org.jspecify.annotations.NullMarked;
