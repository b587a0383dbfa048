/** The programs around the server: quick start, benchmarks, and the main class of bin/talos. */
@NullMarked
package org.talos.bench;

import org.jspecify.annotations.NullMarked;
