/** Names of topics, groups and resources, and the partition of a key. */
@NullMarked
package org.talos.common.name;

import org.jspecify.annotations.NullMarked;
