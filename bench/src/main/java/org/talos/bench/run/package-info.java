/** The bench client for any server: {@link org.talos.bench.run.RunCommand}. */
@NullMarked
package org.talos.bench.run;

import org.jspecify.annotations.NullMarked;
