/**
 * Every metric of the server: its name, its unit, how it is kept, and how it is told. Parts say what happened; how that
 * is counted is decided here. Uses no part.
 */
@NullMarked
package org.talos.server.metrics;

import org.jspecify.annotations.NullMarked;
