#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Creates devices on the first physical device, and tells the VkResult of each request.

usage: devices_worker.py REQUEST_JSON RESULT_JSON

For test_devices.py, which starts one for each driver and setting. Requests are made of what `base`
reports (another worker's answer; without one, of what this one is told). Of the structures that
`single` names each feature is asked for alone; of the others, one in `step` is asked for.
"""
import ctypes
import json
import sys

VULKAN = ctypes.CDLL("libvulkan.so.1")
INSTANCE_INFO, APPLICATION_INFO, QUEUE_INFO, DEVICE_INFO = 1, 0, 2, 3
FEATURES2 = 1000059000
PROPERTIES2 = "VK_KHR_get_physical_device_properties2"


class ApplicationInfo(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("next", ctypes.c_void_p), ("name", ctypes.c_char_p),
                ("version", ctypes.c_uint32), ("engine", ctypes.c_char_p),
                ("engineVersion", ctypes.c_uint32), ("apiVersion", ctypes.c_uint32)]


class InstanceInfo(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("next", ctypes.c_void_p), ("flags", ctypes.c_uint32),
                ("application", ctypes.POINTER(ApplicationInfo)), ("layerCount", ctypes.c_uint32),
                ("layers", ctypes.POINTER(ctypes.c_char_p)), ("extensionCount", ctypes.c_uint32),
                ("extensions", ctypes.POINTER(ctypes.c_char_p))]


class QueueInfo(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("next", ctypes.c_void_p), ("flags", ctypes.c_uint32),
                ("family", ctypes.c_uint32), ("count", ctypes.c_uint32),
                ("priorities", ctypes.POINTER(ctypes.c_float))]


class DeviceInfo(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("next", ctypes.c_void_p), ("flags", ctypes.c_uint32),
                ("queueCount", ctypes.c_uint32), ("queues", ctypes.POINTER(QueueInfo)),
                ("layerCount", ctypes.c_uint32), ("layers", ctypes.POINTER(ctypes.c_char_p)),
                ("extensionCount", ctypes.c_uint32), ("extensions", ctypes.POINTER(ctypes.c_char_p)),
                ("features", ctypes.c_void_p)]


class Extension(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char * 256), ("version", ctypes.c_uint32)]


def texts(names):
    return (ctypes.c_char_p * len(names))(*[name.encode() for name in names])


def structure(kind, count):
    """One with `count` VkBool32 behind type and next, all zero."""
    fields = [("type", ctypes.c_int), ("next", ctypes.c_void_p),
              ("features", ctypes.c_uint32 * count)]
    return type("Structure", (ctypes.Structure,), {"_fields_": fields})(kind)


def demand(result, what):
    if result != 0:
        raise SystemExit(f"{what}: {result}")


class Device:
    def __init__(self, request):
        self.rows, self.core = request["structures"], request["core"]
        major, minor = map(int, request["instance"].split("."))
        application = ApplicationInfo(type=APPLICATION_INFO, apiVersion=major << 22 | minor << 12)
        names = [PROPERTIES2] if request["properties2"] else []
        info = InstanceInfo(type=INSTANCE_INFO, application=ctypes.pointer(application),
                            extensionCount=len(names), extensions=texts(names))
        self.instance = ctypes.c_void_p()
        demand(VULKAN.vkCreateInstance(ctypes.byref(info), None, ctypes.byref(self.instance)),
               "vkCreateInstance")
        count, self.handle = ctypes.c_uint32(1), ctypes.c_void_p()
        result = VULKAN.vkEnumeratePhysicalDevices(self.instance, ctypes.byref(count),
                                                   ctypes.byref(self.handle))
        if result < 0 or count.value != 1:
            raise SystemExit(f"vkEnumeratePhysicalDevices: {result}, {count.value} devices")
        self.destroy = None

    def extensions(self):
        count = ctypes.c_uint32()
        enumerate_all = VULKAN.vkEnumerateDeviceExtensionProperties
        demand(enumerate_all(self.handle, None, ctypes.byref(count), None), "extensions")
        rows = (Extension * count.value)()
        demand(enumerate_all(self.handle, None, ctypes.byref(count), rows), "extensions")
        return [row.name.decode() for row in rows]

    def command(self, name):
        get = VULKAN.vkGetInstanceProcAddr
        get.restype = ctypes.c_void_p
        return get(self.instance, name.encode())

    def reported(self):
        """structure -> its features; empty where the instance has no such query"""
        address = (self.command("vkGetPhysicalDeviceFeatures2")
                   or self.command("vkGetPhysicalDeviceFeatures2KHR"))
        core = (ctypes.c_uint32 * len(self.core))()
        VULKAN.vkGetPhysicalDeviceFeatures(self.handle, core)
        found = {"VkPhysicalDeviceFeatures": chosen(self.core, core)}
        if not address:
            return found
        query = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(address)
        for name, row in self.rows.items():
            node = structure(row["type"], len(row["features"]))
            head = structure(FEATURES2, len(self.core))
            head.next = ctypes.addressof(node)
            query(self.handle, ctypes.addressof(head))
            found[name] = chosen(row["features"], node.features)
        return found

    def create(self, features, extensions, core_in_chain=False):
        """VkResult of a device with such features, by structure."""
        priority = ctypes.c_float(1)
        queue = QueueInfo(type=QUEUE_INFO, count=1, priorities=ctypes.pointer(priority))
        info = DeviceInfo(type=DEVICE_INFO, queueCount=1, queues=ctypes.pointer(queue),
                          extensionCount=len(extensions), extensions=texts(extensions))
        kept = []
        for name, wanted in features.items():
            core = name == "VkPhysicalDeviceFeatures"
            names = self.core if core else self.rows[name]["features"]
            node = structure(FEATURES2 if core else self.rows[name]["type"], len(names))
            for feature in wanted:
                node.features[names.index(feature)] = 1
            kept.append(node)
            if core and not core_in_chain:
                info.features = ctypes.addressof(node.features)
            else:
                node.next, info.next = info.next, ctypes.addressof(node)
        device = ctypes.c_void_p()
        result = VULKAN.vkCreateDevice(self.handle, ctypes.byref(info), None, ctypes.byref(device))
        if result == 0:
            VULKAN.vkDestroyDevice(device, None)
        return result


def chosen(names, values):
    return [name for name, value in zip(names, values) if value]


def everything(device, base, listed, of_versions):
    """Each feature once: of Vulkan versions' structures, or of the others."""
    versions = {name for name in device.rows if name.startswith("VkPhysicalDeviceVulkan1")}
    covered = {feature for name in versions for feature in device.rows[name]["features"]}
    chain = {}
    for name, features in base.items():
        if name in versions and not of_versions:
            continue
        row = device.rows.get(name)
        if of_versions and row and name not in versions and covered.issuperset(row["features"]):
            continue
        chain[name] = features
    return device.create(chain, listed, core_in_chain=True)


def sample(rows, request):
    """The structures of `single`, and of the others one in `step`, from `first` on."""
    others = [name for name in rows if name not in request["single"]]
    left = set(others) - set(others[request["first"]::request["step"]])
    return {name: row for name, row in rows.items() if name not in left}


def results(device, base, listed, request):
    """request -> VkResult: what `base` reports of a structure, at once, and STRUCTURE.FEATURE for each
    that it does not report; where it reports none, these at once."""
    found = {"nothing": device.create({}, []), "all extensions": device.create({}, listed)}
    single = request["single"]
    rows = {"VkPhysicalDeviceFeatures": {"features": device.core}, **device.rows}
    for name, row in sample(rows, request).items():
        extension, has = row.get("extension"), base.get(name, [])
        extensions = [extension] if extension in listed else []
        asked = has if has or name in single else row["features"]
        found[f"structure {name}"] = device.create({name: asked}, extensions)
        for feature in row["features"] if has or name in single else ():
            if feature not in has:
                found[f"{name}.{feature}"] = device.create({name: [feature]}, extensions)
    found["all structures"] = everything(device, base, listed, of_versions=False)
    found["all structures of versions"] = everything(device, base, listed, of_versions=True)
    return found


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    device = Device(request)
    listed, reported = device.extensions(), device.reported()
    base = request["base"] or {"reported": reported, "extensions": listed}
    answer = {"reported": reported, "extensions": listed,
              "results": results(device, base["reported"], base["extensions"], request)}
    # Also without features that it reports itself.
    answer["results"]["all that is reported"] = everything(device, reported, listed, False)
    answer["results"]["all that is reported, of versions"] = everything(device, reported, listed,
                                                                        True)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(answer, file)


if __name__ == "__main__":
    main()
