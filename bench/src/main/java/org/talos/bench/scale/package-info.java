/** What growth costs a server, a curve for each thing that grows: {@link org.talos.bench.scale.ScaleCommand}. */
@NullMarked
package org.talos.bench.scale;

import org.jspecify.annotations.NullMarked;
