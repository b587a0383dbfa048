/** What every benchmark shares: connections, recorders, processes, reports. */
@NullMarked
package org.talos.bench.load;

import org.jspecify.annotations.NullMarked;
