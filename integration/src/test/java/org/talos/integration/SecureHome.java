// SPDX-License-Identifier: Apache-2.0
package org.talos.integration;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.UserGroupInformation;

/** Gives the servers' user a directory, as HDFS' superuser. A process of its own. Confined: its main thread. */
final class SecureHome {
    private SecureHome() {}

    /** With the folder of the client files, the superuser's principal and keytab. */
    public static void main(String[] arguments) throws Exception {
        Configuration client = new Configuration();
        client.addResource(new Path(arguments[0], "core-site.xml"));
        client.addResource(new Path(arguments[0], "hdfs-site.xml"));
        UserGroupInformation.setConfiguration(client);
        UserGroupInformation.loginUserFromKeytab(arguments[1], arguments[2]);
        try (FileSystem files = FileSystem.newInstance(client)) {
            Path home = new Path("/user/talos");
            files.mkdirs(home, new FsPermission((short) 0755));
            files.setOwner(home, "talos", "talos");
        }
    }
}
