/** What partitions cost a server at rest: {@link org.talos.bench.partitions.PartitionsCommand}. */
@NullMarked
package org.talos.bench.partitions;

import org.jspecify.annotations.NullMarked;
