/**
 * Load: requests in flight over HTTP connections, one behind the other on each, timed. One thread for all of them and
 * little work a request, so that on a shared machine the server decides what is measured. Entry:
 * {@link org.talos.bench.load.ClosedLoop}.
 */
@NullMarked
package org.talos.bench.load;

import org.jspecify.annotations.NullMarked;
