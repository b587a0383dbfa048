/** The first thing that a new user runs: a server, messages in, messages out, checked. */
@NullMarked
package org.talos.bench.quickstart;

import org.jspecify.annotations.NullMarked;
