/**
 * What HDFS' and HBase's clients have in common: their configuration, read from named files, and who they are to a
 * cluster that asks. Entry types: {@link org.talos.server.hadoop.ClientConfiguration},
 * {@link org.talos.server.hadoop.HadoopLogin}. One thread of its own, which keeps the Kerberos ticket fresh.
 */
@NullMarked
package org.talos.server.hadoop;

import org.jspecify.annotations.NullMarked;
