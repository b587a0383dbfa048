/** How fast the server is beside the same Jetty that does nothing. */
@NullMarked
package org.talos.bench.floor;

import org.jspecify.annotations.NullMarked;
